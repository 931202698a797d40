import { ArchiveError } from './archive-error.ts';

/** The owner of an archive. Every frame is bound to all three ids. */
export interface Identity {
  readonly organization: string;
  readonly project: string;
  readonly backup: string;
}

type ObjectKind = 'manifest' | 'index' | 'chunk' | 'filter' | 'erasures';

/** Excludes characters that JSON or object stores could spell in two ways. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const namePattern = /^(?:(chunk|index|filter)\/\d{8}-\d{4}|(erasures)\/\d{8}|(manifest))$/;

export const manifestName = 'manifest';
/** Object name of the wrapped data key. It is separate from the sealed objects, so that rewrapping changes none of them. */
export const keyFileName = 'key';

/** Object names contain only numbers, never document ids. */
export const objectName = (kind: 'index' | 'chunk', number: number, part = 0): string => {
  if (!Number.isInteger(number) || number < 0 || number > 99_999_999) throw new RangeError(`invalid object number ${number}`);
  if (!Number.isInteger(part) || part < 0 || part > 9_999) throw new RangeError(`invalid object part ${part}`);
  return `${kind}/${String(number).padStart(8, '0')}-${String(part).padStart(4, '0')}`;
};

/** The kind is part of the name, and frames are bound to the name. */
export const objectKind = (name: string): ObjectKind | undefined => {
  const match = namePattern.exec(name);
  return (match?.[1] ?? match?.[2] ?? match?.[3]) as ObjectKind | undefined;
};

/** Folder of the copies of the erasure ledger, one object per version. */
export const erasuresFolder = 'erasures/';

/** The object name of a version of the erasure ledger. Versions are not replaced, because a lock may forbid it. */
export const erasuresName = (version: number): string => {
  if (!Number.isInteger(version) || version < 1 || version > 99_999_999) throw new RangeError(`invalid version ${version}`);
  return `${erasuresFolder}${String(version).padStart(8, '0')}`;
};

/** The version that an object name states; undefined for other objects. */
export const erasuresVersion = (name: string): number | undefined =>
  objectKind(name) === 'erasures' ? Number(name.slice(erasuresFolder.length)) : undefined;

/** Identifies an object across backups; ids contain no spaces. */
export const objectId = ({ backup, name }: { readonly backup: string; readonly name: string }): string => `${backup} ${name}`;

export const isArchiveId = (text: unknown): text is string => typeof text === 'string' && idPattern.test(text);

export const checkIdentity = ({ organization, project, backup }: Identity): void => {
  for (const id of [organization, project, backup])
    if (!isArchiveId(id)) throw new ArchiveError('header-invalid', 'an id has characters that are not allowed in an archive');
};

/** Rejects an object that claims another owner before anything is decrypted. */
export const checkSameIdentity = (claimed: Identity, expected: Identity): void => {
  for (const part of ['organization', 'project', 'backup'] as const)
    if (claimed[part] !== expected[part]) throw new ArchiveError('wrong-backup', `the object belongs to another ${part}`);
};
