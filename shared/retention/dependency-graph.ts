import type { RetentionCandidate } from './retention-candidate.ts';

/** Which backups stand upon which: those in whose objects they find records, and while they are made those they are made of. */
export class Relations {
  /** Only of archives that another backup needs: most need none. */
  readonly #holders = new Map<string, RetentionCandidate[]>();
  readonly #byId: ReadonlyMap<string, RetentionCandidate>;
  readonly #damaged: ReadonlySet<string>;

  constructor(all: readonly RetentionCandidate[]) {
    const isNeeded = new Set<string>();
    for (const { needs } of all) for (const archiveId of needs) isNeeded.add(archiveId);
    for (const backup of all)
      if (backup.isCompleted && isNeeded.has(backup.archiveId)) {
        const holders = this.#holders.get(backup.archiveId);
        if (holders) holders.push(backup);
        else this.#holders.set(backup.archiveId, [backup]);
      }
    const isStoodUpon = new Set(all.flatMap(({ upon }) => upon));
    this.#byId = new Map(all.filter(({ id }) => isStoodUpon.has(id)).map((backup) => [backup.id, backup]));
    this.#damaged = new Set(all.filter(({ isDamaged }) => isDamaged).map(({ archiveId }) => archiveId));
  }

  /** These, and all that one of them stands upon, however far down. Where two have an archive both are kept. */
  closure(first: readonly RetentionCandidate[]): ReadonlySet<RetentionCandidate> {
    const found = new Set(first);
    // A set goes on with what is added while it is walked.
    for (const backup of found) for (const one of this.#standsUpon(backup)) found.add(one);
    return found;
  }

  isReadFromDamaged({ needs }: RetentionCandidate): boolean {
    return needs.some((archiveId) => this.#damaged.has(archiveId));
  }

  /** In such an order that each comes after all that need it. What needs each other in a circle is left out: it stays. */
  dependentsFirst(backups: readonly RetentionCandidate[]): readonly RetentionCandidate[] {
    const needers = new Map<RetentionCandidate, number>(backups.map((backup) => [backup, 0]));
    const count = (backup: RetentionCandidate, by: 1 | -1): number | undefined => {
      const known = needers.get(backup);
      if (known !== undefined) needers.set(backup, known + by);
      return known === undefined ? undefined : known + by;
    };
    for (const backup of backups) for (const one of this.#standsUpon(backup)) count(one, 1);
    const ordered = backups.filter((backup) => needers.get(backup) === 0);
    for (const backup of ordered) for (const one of this.#standsUpon(backup)) if (count(one, -1) === 0) ordered.push(one);
    return ordered;
  }

  *#standsUpon({ needs, upon }: RetentionCandidate): Generator<RetentionCandidate> {
    for (const archiveId of needs) yield* this.#holders.get(archiveId) ?? [];
    for (const id of upon) {
      const found = this.#byId.get(id);
      if (found) yield found;
    }
  }
}
