import { recordKind, Seeker } from '../../archive/index.ts';
import type { OpenArchive } from './open-archive.ts';

export interface FoundRecord {
  /** Undefined if the document does not exist in the backup, or is erased. */
  readonly encoded: Uint8Array | undefined;
  /** The backup has a record of this name, possibly that the document does not exist. */
  readonly isNamed: boolean;
  readonly isErased: boolean;
}

/** Finds one document by its name. Reads one page of the index and at most one leaf. */
export const findRecord = async (
  path: string,
  { archive, erasures }: Pick<OpenArchive, 'archive' | 'erasures'>,
): Promise<FoundRecord> => {
  const seeker = new Seeker(archive);
  seeker.part = 'all';
  const wanted = Buffer.from(archive.documentsRoot + path);
  await seeker.seek(wanted);
  const isNamed = (await seeker.name())?.equals(wanted) ?? false;
  const kind = isNamed ? await seeker.kind() : undefined;
  if (kind === recordKind.document) {
    const { leaf, slot } = await seeker.record();
    return { encoded: leaf.content(slot), isNamed, isErased: false };
  }
  const isErased = kind === recordKind.erased || (erasures?.hidesPath(Buffer.from(path)) ?? false);
  return { encoded: undefined, isNamed, isErased };
};
