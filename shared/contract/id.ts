/** Ids say what they name: a kind, an underscore and a 26-character ULID (80 random bits, sorted by time). */
export const idPrefixes = {
  user: 'usr',
  organization: 'org',
  invitation: 'inv',
  serviceAccount: 'sa',
  session: 'ses',
  event: 'evt',
  audit: 'aud',
  task: 'tsk',
  storageDestination: 'dst',
  project: 'prj',
  backup: 'bkp',
  restore: 'rst',
  webhook: 'whk',
  delivery: 'dlv',
  schedule: 'sch',
  /** A batch of captured changes. */
  capture: 'pit',
} as const;
export type IdKind = keyof typeof idPrefixes;

const ulid = '[0-7][0-9A-HJKMNP-TV-Z]{25}';
const patterns = Object.fromEntries(
  Object.entries(idPrefixes).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}_${ulid}$`)]),
) as Record<IdKind, RegExp>;

export const idPattern = (kind: IdKind): RegExp => patterns[kind];
/** False for anything that could not be an id of that kind, so that no such text ever becomes part of a key. */
export const isId = (kind: IdKind, text: string): boolean => patterns[kind].test(text);
