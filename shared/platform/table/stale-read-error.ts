import { ApiError } from '../../contract/errors.ts';

/** Optimistic-lock conflict: the item changed after it was read. Re-read it and decide again. */
export class StaleReadError extends ApiError {
  constructor() {
    super('CONFLICT', 'The resource is being changed concurrently; try again');
  }
}
