import { type Micros, RpcError, type StoredDocument } from '../base/types.ts';
import { WireReader } from '../proto/wire-reader.ts';
import { second } from '../value/timestamps.ts';
import { readTimestamp } from '../value/value.ts';

/** A condition on the current document. */
export type Precondition =
  | { readonly exists: boolean }
  /** In microseconds; a more precise time matches no version. */
  | { readonly updateTime: number };

/** Decodes a Precondition; an empty one is undefined. */
export const readPrecondition = (bytes: Uint8Array): Precondition | undefined => {
  const reader = new WireReader(bytes);
  let precondition: Precondition | undefined;
  while (reader.next()) {
    if (reader.field === 1 && reader.type === 0) precondition = { exists: reader.bool() };
    else if (reader.field === 2 && reader.type === 2) {
      const { seconds, nanos } = readTimestamp(reader.inner());
      precondition = { updateTime: seconds * second + nanos / 1000 };
    }
  }
  return precondition;
};

/** Throws the service's error if the condition fails. `name` is the document's full name. */
export const checkPrecondition = (
  precondition: Precondition | undefined,
  {
    current,
    name,
    now,
  }: { readonly current: Pick<StoredDocument, 'updateTime'> | undefined; readonly name: string; readonly now: Micros },
): void => {
  if (!precondition) return;
  if ('exists' in precondition) {
    if (precondition.exists && !current) throw new RpcError('NOT_FOUND', `No document to update: ${name}`);
    if (!precondition.exists && current) throw new RpcError('ALREADY_EXISTS', `Document already exists: ${name}`);
    return;
  }
  if (precondition.updateTime > now)
    throw new RpcError('INVALID_ARGUMENT', "The required 'update_time' cannot be in the future.");
  const stored: Micros = current?.updateTime ?? 0;
  if (stored !== precondition.updateTime)
    throw new RpcError(
      'FAILED_PRECONDITION',
      `the stored version (${stored}) does not match the required base version (${Math.floor(precondition.updateTime)})`,
    );
};
