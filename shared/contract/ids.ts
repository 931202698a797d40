/** Ids consist of a prefix for their kind, an underscore and a 26-character ULID (80 random bits, sorted by time). */
export const idPrefixes = {
  user: 'usr',
  organization: 'org',
  invitation: 'inv',
  serviceAccount: 'sa',
  apiKey: 'key',
  session: 'ses',
  event: 'evt',
  audit: 'aud',
  task: 'tsk',
  storageDestination: 'dst',
  project: 'prj',
  backup: 'bkp',
  restore: 'rst',
  export: 'exp',
  webhook: 'whk',
  delivery: 'dlv',
  schedule: 'sch',
  restoreTest: 'rtp',
  restoreTestRun: 'rtr',
  alert: 'alr',
  incident: 'inc',
  erasure: 'era',
  /** A batch of captured changes. */
  capture: 'pit',
} as const;
export type IdKind = keyof typeof idPrefixes;

const ulid = '[0-7][0-9A-HJKMNP-TV-Z]{25}';
const patterns = Object.fromEntries(
  Object.entries(idPrefixes).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}_${ulid}$`)]),
) as Record<IdKind, RegExp>;

export const idPattern = (kind: IdKind): RegExp => patterns[kind];
/** Checked before any text becomes part of a table key. */
export const isId = (kind: IdKind, text: string): boolean => patterns[kind].test(text);

const kindOfPrefix = new Map(Object.entries(idPrefixes).map(([kind, prefix]) => [prefix as string, kind as IdKind]));

/** Names of kinds for people, where they differ from the word. */
const publicNames: Partial<Record<IdKind, string>> = {
  serviceAccount: 'service account',
  apiKey: 'API key',
  storageDestination: 'storage destination',
  restore: 'restore job',
  restoreTest: 'restore test',
  restoreTestRun: 'run of a restore test',
};

/** Says what id is expected, such as `must be the id of a storage destination (dst_…)`. */
export const idMessage = (kind: IdKind): string => {
  const name = publicNames[kind] ?? kind;
  return `must be the id of ${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name} (${idPrefixes[kind]}_…)`;
};

/** Field name of an id; the interface calls restores jobs. */
const nameOf = (kind: IdKind): string => (kind === 'restore' ? 'restoreJobId' : `${kind}Id`);

/**
 * The ids in the fields of a value, keyed by kind. Among several of one kind, the field with the name of the kind wins, otherwise the
 * first. Only well-formed ids are returned, so no other caller-supplied text reaches the log.
 */
export const idsIn = (value: unknown): Readonly<Record<string, string>> => {
  const ids: Record<string, string> = {};
  for (const [field, text] of Object.entries(value ?? {})) {
    if (typeof text !== 'string') continue;
    const kind = kindOfPrefix.get(text.slice(0, text.indexOf('_')));
    if (!kind || !isId(kind, text)) continue;
    const name = nameOf(kind);
    if (field === name || ids[name] === undefined) ids[name] = text;
  }
  return ids;
};
