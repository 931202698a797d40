import type { RetentionCandidate } from './retention-candidate.ts';

/** Which backups depend on which: on archives they read records from and, while running, on the backups they are built from. */
export class DependencyGraph {
  /** Owners of the archives that another backup needs. */
  readonly #owners = new Map<string, RetentionCandidate[]>();
  readonly #byId: ReadonlyMap<string, RetentionCandidate>;
  readonly #damaged: ReadonlySet<string>;

  constructor(all: readonly RetentionCandidate[]) {
    const needed = new Set<string>();
    for (const { needs } of all) for (const archiveId of needs) needed.add(archiveId);
    for (const backup of all)
      if (backup.isCompleted && needed.has(backup.archiveId)) {
        const owners = this.#owners.get(backup.archiveId);
        if (owners) owners.push(backup);
        else this.#owners.set(backup.archiveId, [backup]);
      }
    const parentIds = new Set(all.flatMap(({ parents }) => parents));
    this.#byId = new Map(all.filter(({ id }) => parentIds.has(id)).map((backup) => [backup.id, backup]));
    this.#damaged = new Set(all.filter(({ isDamaged }) => isDamaged).map(({ archiveId }) => archiveId));
  }

  /** These backups and all their dependencies, transitively. If two backups own an archive, both are included. */
  closure(first: readonly RetentionCandidate[]): ReadonlySet<RetentionCandidate> {
    const found = new Set(first);
    // Iterating a set also visits the elements added meanwhile.
    for (const backup of found) for (const dependency of this.#dependencies(backup)) found.add(dependency);
    return found;
  }

  isReadFromDamaged({ needs }: RetentionCandidate): boolean {
    return needs.some((archiveId) => this.#damaged.has(archiveId));
  }

  /** Topological order: each backup comes after all its dependents. Backups in a cycle are left out, so they stay. */
  dependentsFirst(backups: readonly RetentionCandidate[]): readonly RetentionCandidate[] {
    const dependents = new Map<RetentionCandidate, number>(backups.map((backup) => [backup, 0]));
    const count = (backup: RetentionCandidate, by: 1 | -1): number | undefined => {
      const known = dependents.get(backup);
      if (known !== undefined) dependents.set(backup, known + by);
      return known === undefined ? undefined : known + by;
    };
    for (const backup of backups) for (const dependency of this.#dependencies(backup)) count(dependency, 1);
    const ordered = backups.filter((backup) => dependents.get(backup) === 0);
    for (const backup of ordered)
      for (const dependency of this.#dependencies(backup)) if (count(dependency, -1) === 0) ordered.push(dependency);
    return ordered;
  }

  *#dependencies({ needs, parents }: RetentionCandidate): Generator<RetentionCandidate> {
    for (const archiveId of needs) yield* this.#owners.get(archiveId) ?? [];
    for (const id of parents) {
      const found = this.#byId.get(id);
      if (found) yield found;
    }
  }
}
