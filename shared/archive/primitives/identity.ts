import { ArchiveError } from './archive-error.ts';

/** Whose archive it is: every frame is bound to all three. */
export interface Identity {
  readonly organization: string;
  readonly project: string;
  readonly backup: string;
}

export type ObjectKind = 'manifest' | 'index' | 'chunk';

/** No character that JSON or a storage key would spell in two ways. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const namePattern = /^(?:(chunk|index)\/\d{8}-\d{4}|(manifest))$/;

export const manifestName = 'manifest';
/** Where the wrapped data key lies: in the clear, beside the sealed objects, so that wrapping it anew touches none of them. */
export const keyFileName = 'key';

/** Object names are made of numbers alone: no document id can get into one. */
export const objectName = (kind: 'index' | 'chunk', number: number, part = 0): string => {
  if (!Number.isInteger(number) || number < 0 || number > 99_999_999) throw new RangeError(`object number ${number}`);
  if (!Number.isInteger(part) || part < 0 || part > 9_999) throw new RangeError(`object part ${part}`);
  return `${kind}/${String(number).padStart(8, '0')}-${String(part).padStart(4, '0')}`;
};

/** What an object holds is part of its name, and so of what its frames are bound to. */
export const objectKind = (name: string): ObjectKind | undefined => {
  const match = namePattern.exec(name);
  return (match?.[1] ?? match?.[2]) as ObjectKind | undefined;
};

/** Names an object over all backups; no id has a blank in it. */
export const objectId = ({ backup, name }: { readonly backup: string; readonly name: string }): string => `${backup} ${name}`;

export const isId = (text: unknown): text is string => typeof text === 'string' && idPattern.test(text);

export const checkIdentity = ({ organization, project, backup }: Identity): void => {
  for (const id of [organization, project, backup])
    if (!isId(id)) throw new ArchiveError('header-invalid', 'an id has characters that an archive does not take');
};

/** Refuses an object that says it belongs elsewhere, before any of it is decrypted. */
export const checkSameIdentity = (said: Identity, expected: Identity): void => {
  for (const part of ['organization', 'project', 'backup'] as const)
    if (said[part] !== expected[part]) throw new ArchiveError('wrong-backup', `the object belongs to another ${part}`);
};
