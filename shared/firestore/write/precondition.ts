import type { ProtobufTimestamp } from '../../archive/index.ts';
import { type ByteWriter, varintBytes } from '../wire/byte-writer.ts';

/** Precondition of a write: the document does not exist, or was last written at exactly this time. */
export type Condition = 'absent' | ProtobufTimestamp;

/** Tags of Write.current_document, Precondition.update_time and the parts of its time. */
const tag = { condition: 0x22, updateTime: 0x12, seconds: 0x08, nanos: 0x10 } as const;
/** Precondition { exists: false }: explicitly encoded, because it is set. */
const notExisting = Buffer.from([tag.condition, 2, 0x08, 0]);

/** The number of bytes that `addCondition` adds. */
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

const timeBytes = ({ seconds, nanos }: ProtobufTimestamp): number => 2 + varintBytes(seconds) + varintBytes(nanos);
