import type { Moment } from '../../archive/index.ts';
import { type ByteWriter, varintBytes } from '../wire/byte-writer.ts';

/** What a write demands of the document as it is: that there is none, or that it was last written at that very moment. */
export type Condition = 'absent' | Moment;

/** Tags of google.firestore.v1.Write.current_document, of Precondition.update_time, and of the parts of its time. */
const tag = { condition: 0x22, updateTime: 0x12, seconds: 0x08, nanos: 0x10 } as const;
/** Precondition { exists: false }: false is written out, for it is set. */
const notExisting = Buffer.from([tag.condition, 2, 0x08, 0]);

/** How many bytes `addCondition` adds. */
export const conditionBytes = (condition: Condition | undefined): number => {
  if (condition === undefined) return 0;
  return condition === 'absent' ? notExisting.length : 4 + timeBytes(condition);
};

export const addCondition = (sink: ByteWriter, condition: Condition | undefined): void => {
  if (condition === undefined) return;
  if (condition === 'absent') {
    sink.copy(notExisting);
    return;
  }
  const size = timeBytes(condition);
  for (const value of [tag.condition, 2 + size, tag.updateTime, size]) sink.varint(value);
  for (const value of [tag.seconds, condition.seconds, tag.nanos, condition.nanos]) sink.varint(value);
};

const timeBytes = ({ seconds, nanos }: Moment): number => 2 + varintBytes(seconds) + varintBytes(nanos);
