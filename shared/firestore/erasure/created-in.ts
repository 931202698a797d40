import type { ProtobufTimestamp } from '../../archive/index.ts';
import { MessageReader } from '../wire/message-reader.ts';

/** The field `create_time` of a Document. */
const createTimeField = 3;

/** The creation time of an encoded document; 1970 if it has none. */
export const createdIn = (document: Uint8Array): ProtobufTimestamp => {
  const reader = new MessageReader(document);
  const end = reader.bytes.length;
  let created: ProtobufTimestamp = { seconds: 0, nanos: 0 };
  while (reader.next(end)) {
    if (reader.field === createTimeField && reader.type === 2) created = momentIn(reader, reader.stop(end));
    else reader.skip(end);
  }
  return created;
};

const momentIn = (reader: MessageReader, end: number): ProtobufTimestamp => {
  let [seconds, nanos] = [0, 0];
  while (reader.next(end)) {
    if (reader.field === 1 && reader.type === 0) seconds = Number(reader.int64(end));
    else if (reader.field === 2 && reader.type === 0) nanos = reader.number(end);
    else reader.skip(end);
  }
  return { seconds, nanos };
};
