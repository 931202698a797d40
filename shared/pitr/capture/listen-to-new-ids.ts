/** Captures collections whose id was not known, from the last moment at which it was proven that they did not exist. */
import { SourceError } from '../../firestore/index.ts';
import { log } from '../../platform/index.ts';
import type { Coverage } from '../coverage/check-coverage.ts';
import { BudgetSpent } from '../coverage/document-lookup.ts';
import { findNewIds } from '../coverage/find-new-ids.ts';
import { PastTally } from '../coverage/past-tally.ts';
import type { Successor } from '../listen/group-stream.ts';
import type { ListenSession } from '../listen/listen-session.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import type { ReadBudget } from './read-budget.ts';

interface NewIdsOptions {
  /** The check that counted more documents than the known collections have, at the end of the cycle. */
  readonly coverage: Coverage;
  /** The end of the cycle, in microseconds. */
  readonly to: number;
  /** When it was last proven that there are no other collections. */
  readonly absentSince: number;
  readonly successor: Successor;
  /** Reads that may find them. */
  readonly readsLeft: number;
  readonly budget: ReadBudget;
  readonly signal: AbortSignal;
}

/** A search takes so long at most: a cycle must end within minutes. */
const withinMs = 60_000;

/**
 * Returns the coverage: whole if all of them are captured now, otherwise as it was. The state at `absentSince` is known, it is empty,
 * so that the moments since can be proven like those of an interruption.
 */
export const listenToNewIds = async (session: ListenSession, options: NewIdsOptions): Promise<Coverage> => {
  const { coverage, to, absentSince, successor, budget, readsLeft, signal } = options;
  const { observed, source } = session;
  const { total, counts } = coverage;
  if (coverage.verdict !== 'unknown' || total === undefined) return coverage;
  const changed = [...observed.groups.values()].flatMap((group) => [...group.changes.keys()]);
  const tally = new PastTally(readsLeft);
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
  let found: ReadonlyMap<string, number> | undefined;
  try {
    found = await findNewIds({ source, moment: to, total, counts, changed, tally, signal: inTime });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof BudgetSpent || error instanceof SourceError || inTime.aborted)) throw error;
    log.warn('new collections were not found; a base backup will find them', { error, spent: tally.reads });
  } finally {
    budget.reads += tally.reads;
    budget.pastReads += tally.reads;
  }
  if (!found) return coverage;
  const added = [...found.keys()].map(
    (collectionId): ResumePosition => ({ collectionId, to: absentSince, token: undefined, count: 0, isCounted: true }),
  );
  await session.add(added, successor, observed);
  // A stream that was opened later is complete up to the end of the cycle.
  const isHeard = added.every(({ collectionId }) => (observed.groups.get(collectionId)?.heard.to ?? 0) >= to);
  return isHeard ? { ...coverage, verdict: 'whole', counts: new Map([...counts, ...found]) } : coverage;
};
