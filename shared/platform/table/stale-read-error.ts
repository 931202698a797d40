import { ApiError } from '../../contract/errors.ts';

/** A failed condition that says nothing against the caller: what was read is out of date, so the rule is to be decided anew. */
export class StaleReadError extends ApiError {
  constructor() {
    super('CONFLICT', 'Others are changing this at the same moment; try again');
  }
}
