/** Whether the next base must be read from the source, or may be built from the last one and the changes since. */
import { auditDays as auditDaysDefault } from '../../contract/limits.ts';
import { microsOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { baseFor } from '../timeline/windows.ts';

const dayMicros = 24 * 3_600 * 1_000_000;
/** The audit compares as of the last capture, and repeats a step that failed. */
const lateMicros = dayMicros / 4;

/**
 * A built base has what was captured, no more. So a base is read if captures lack something: the first one, after a loss, while a
 * collection is missing, after a damage or a difference, and if a document of the last one had not been read for `auditDays`, or for as long
 * as the budget of reads makes the audit take.
 */
export const needsReadBase = (pitr: PitrRecord, now: Date): boolean => {
  const last = pitr.bases.at(-1);
  if (!last || last.isDamaged || pitr.mustReadBase || lacksBase(pitr) || hasOpenGap(pitr)) return true;
  const { auditDays = auditDaysDefault, auditPaceDays = auditDays } = pitr;
  if (auditPaceDays === null) return false;
  const days = Math.max(auditDays, auditPaceDays);
  // What was read after a built base is not known here: what counts is how old its oldest document was.
  const asOf = last.builtFrom === 'changes' ? microsOf(last.readTime) : now.getTime() * 1_000;
  return microsOf(last.auditedSince ?? last.readTime) + days * dayMicros + lateMicros < asOf;
};

/** Some collections are not captured, or not completely. */
export const hasOpenGap = ({ gaps }: PitrRecord): boolean =>
  gaps.some(({ to, collections, heardFrom }) => to === null && (collections !== undefined || heardFrom !== undefined));

/** Nothing captured now can be restored: no base follows the last gap of all collections. */
export const lacksBase = (pitr: PitrRecord): boolean => pitr.capturedTo !== null && baseFor(pitr, pitr.capturedTo) === undefined;
