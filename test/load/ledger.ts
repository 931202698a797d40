/** The client's record of accepted changes: what must exist afterwards, and which events must have been delivered. */
export type Kind = 'organization' | 'project' | 'schedule' | 'invitation' | 'webhook' | 'backup' | 'restore';

export interface Ledger {
  /** Names of the resources that must exist, by id; empty for jobs. */
  existing(kind: Kind): ReadonlyMap<string, string>;
  /** Ids of all resources that were ever accepted. */
  ever(kind: Kind): ReadonlySet<string>;
  /** Events that must have been delivered, as `type subject`. */
  readonly expectedEvents: ReadonlySet<string>;
  wrote(kind: Kind, id: string, name?: string): void;
  removed(kind: Kind, id: string): void;
  expectEvent(event: string, subject: string): void;
}

export const openLedger = (): Ledger => {
  const kept = new Map<Kind, Map<string, string>>();
  const ever = new Map<Kind, Set<string>>();
  const expectedEvents = new Set<string>();
  const namesOf = (kind: Kind): Map<string, string> => kept.get(kind) ?? kept.set(kind, new Map()).get(kind) ?? new Map();
  const idsOf = (kind: Kind): Set<string> => ever.get(kind) ?? ever.set(kind, new Set()).get(kind) ?? new Set();
  return {
    expectedEvents,
    existing: namesOf,
    ever: idsOf,
    wrote: (kind, id, name = '') => {
      namesOf(kind).set(id, name);
      idsOf(kind).add(id);
    },
    removed: (kind, id) => void namesOf(kind).delete(id),
    expectEvent: (event, subject) => void expectedEvents.add(`${event} ${subject}`),
  };
};
