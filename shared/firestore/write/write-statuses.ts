import { ArchiveError } from '../../archive/index.ts';
import { RpcError, type Status, statusOf } from '../grpc/status.ts';
import { MessageReader } from '../wire/message-reader.ts';

/** The result of one write. */
export interface WriteStatus {
  readonly status: Status;
  readonly message: string;
}

const ok: WriteStatus = { status: 'OK', message: '' };

/** Decodes the status of every write from a google.firestore.v1.BatchWriteResponse; throws unless there is one per write. */
export const writeStatuses = (response: Uint8Array | undefined, writes: number): readonly WriteStatus[] => {
  const statuses: WriteStatus[] = [];
  try {
    const reader = new MessageReader(response ?? Buffer.alloc(0));
    const end = reader.bytes.length;
    while (reader.next(end)) {
      if (reader.field === 2 && reader.type === 2) statuses.push(readStatus(reader, reader.stop(end)));
      else reader.skip(end);
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw broken(error);
    throw error;
  }
  if (statuses.length !== writes) throw broken();
  return statuses;
};

const broken = (cause?: unknown): RpcError =>
  new RpcError('INTERNAL', 'The target did not return a status for each write.', { cause });

/** google.rpc.Status { code = 1, message = 2 } */
const readStatus = (reader: MessageReader, end: number): WriteStatus => {
  if (reader.at === end) return ok;
  let status: Status = 'OK';
  let message = '';
  while (reader.next(end)) {
    if (reader.field === 1 && reader.type === 0) status = statusOf(reader.number(end));
    else if (reader.field === 2 && reader.type === 2) message = reader.text(reader.stop(end));
    else reader.skip(end);
  }
  return status === 'OK' ? ok : { status, message };
};
