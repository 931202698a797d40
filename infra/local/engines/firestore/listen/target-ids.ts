import { RpcError } from '../base/types.ts';

/** The target ids of a stream: assigned by the client, or by the server for a client that sends 0. */
export class TargetIds {
  #assigned = 0;

  of(asked: number): number {
    if (asked < 0) throw new RpcError('INVALID_ARGUMENT', 'Target id must not be negative.');
    if (asked === 0) return ++this.#assigned;
    if (this.#assigned > 0) throw new RpcError('INVALID_ARGUMENT', 'Target ids are either all given or all assigned.');
    return asked;
  }
}
