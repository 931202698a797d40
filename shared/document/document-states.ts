/** The states of a document as responses show them. */
import type * as z from 'zod/mini';
import type { DocumentInBackup, LocatedDocument } from '../contract/models/document.ts';
import { fieldsDigest } from '../firestore/index.ts';
import { jsonBytes } from '../platform/index.ts';
import { documentEntry } from '../stored-backup/index.ts';

export type Located = z.input<typeof LocatedDocument>;
export type InBackup = z.input<typeof DocumentInBackup>;
export type LiveDocument = NonNullable<Located['live']>;

/** A function returns at most 6 MB; the fields of older states are left out first. */
export const documentBytesMax = 4_000_000;

export const unknownState = {
  exists: null,
  erased: false,
  updateTime: null,
  contentHash: null,
  document: null,
  message: null,
} as const;

type StateFields = Pick<InBackup, keyof typeof unknownState>;

export const existingState = (encoded: Uint8Array, rootLength: number): StateFields => {
  const document = documentEntry(encoded, rootLength, documentBytesMax);
  const { updateTime = null } = document;
  return { ...unknownState, exists: true, updateTime, contentHash: fieldsDigest(encoded), document };
};

/** Leaves out the fields of states that do not fit into a response: the recommended and the live one stay, then newer ones. */
export const withinBytes = (data: Located): Located => {
  let left = documentBytesMax;
  const fitState = <S extends Pick<InBackup, 'document' | 'contentHash'>>(state: S): S => {
    if (!state.document) return state;
    const bytes = jsonBytes(state.document);
    if (bytes <= left) {
      left -= bytes;
      return state;
    }
    const { fields: _, ...rest } = state.document;
    return { ...state, document: { ...rest, fieldsTooLarge: true } };
  };
  const isRecommended = (state: Pick<InBackup, 'contentHash'>): boolean =>
    state.contentHash !== null && state.contentHash === data.recommended?.contentHash;
  const fitAll = <S extends Pick<InBackup, 'document' | 'contentHash'>>(states: readonly S[]): S[] => {
    const first = states.map((state) => (isRecommended(state) ? fitState(state) : undefined));
    return states.map((state, n) => first[n] ?? fitState(state));
  };
  const live = data.live && fitState(data.live);
  const backups = fitAll(data.backups);
  const moments = data.moments && { ...data.moments, changes: fitAll(data.moments.changes) };
  return { ...data, live, backups, moments };
};
