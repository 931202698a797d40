/** A handover: before a worker stops listening, it asks for a successor, which listens beside it until its cycle ends. */
import { captureHandoverSeconds } from '../../contract/limits.ts';
import { after } from '../../platform/index.ts';
import type { PitrRecord } from '../model/record.ts';

/** The message to the successor. */
export interface Handover {
  /** The last cycle of the current worker. */
  readonly turn: number;
  /** When that worker stops listening; absent in messages from before this field. */
  readonly endsAt?: string | undefined;
}

/**
 * A cycle ends early if a backup waits for it. So long before the handover its worker then listens on, and asks for a successor in the
 * next cycle. Both workers decide by the time on the record, so exactly one of them listens.
 */
export const listensOn = ({ lastCapture, putOffs }: PitrRecord, endsAt: string | undefined): boolean =>
  endsAt !== undefined &&
  lastCapture !== null &&
  putOffs === undefined &&
  after(new Date(lastCapture.at), captureHandoverSeconds) < new Date(endsAt);

/** Whether the current worker has stopped before its successor started. */
export const hasStopped = ({ turn, endsAt }: Handover, pitr: PitrRecord): boolean =>
  pitr.turn === turn + 1 && !listensOn(pitr, endsAt);
