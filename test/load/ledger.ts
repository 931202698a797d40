/** What was accepted, as the client knows it: what must be there afterwards, and what must have been told. */
export type Kind = 'organization' | 'project' | 'schedule' | 'invitation' | 'webhook' | 'backup' | 'restore';

export interface Ledger {
  /** The name of each thing that must be there; of jobs, which have none, empty. */
  there(kind: Kind): ReadonlyMap<string, string>;
  /** Everything that was ever accepted of a kind. */
  ever(kind: Kind): ReadonlySet<string>;
  /** Events that must have been told, as `type subject`. */
  readonly promises: ReadonlySet<string>;
  wrote(kind: Kind, id: string, name?: string): void;
  removed(kind: Kind, id: string): void;
  promise(event: string, subject: string): void;
}

export const openLedger = (): Ledger => {
  const kept = new Map<Kind, Map<string, string>>();
  const ever = new Map<Kind, Set<string>>();
  const promises = new Set<string>();
  const namesOf = (kind: Kind): Map<string, string> => kept.get(kind) ?? kept.set(kind, new Map()).get(kind) ?? new Map();
  const idsOf = (kind: Kind): Set<string> => ever.get(kind) ?? ever.set(kind, new Set()).get(kind) ?? new Set();
  return {
    promises,
    there: namesOf,
    ever: idsOf,
    wrote: (kind, id, name = '') => {
      namesOf(kind).set(id, name);
      idsOf(kind).add(id);
    },
    removed: (kind, id) => void namesOf(kind).delete(id),
    promise: (event, subject) => void promises.add(`${event} ${subject}`),
  };
};
