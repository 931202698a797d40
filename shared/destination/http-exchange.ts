/** One request and its whole answer, with failures in the words of a store. */
import { type Answer, AnswerTooLong, type Exchange, exchange as plainExchange } from '../platform/index.ts';
import { answerMaxBytes, tooLarge } from './extent.ts';
import { StorageError } from './store.ts';

/** Rejects with `unavailable` where no complete answer came, `invalid` where it is too long. */
export const exchange = (
  asked: Omit<Exchange, 'maxBytes' | 'refusalMaxBytes'> & { readonly maxBytes?: number | undefined },
): Promise<Answer> =>
  plainExchange({ ...asked, maxBytes: asked.maxBytes ?? answerMaxBytes, refusalMaxBytes: answerMaxBytes }).catch(
    (cause: unknown) => {
      if (cause instanceof AnswerTooLong) throw tooLarge();
      throw new StorageError('unavailable', `The store did not answer (${codeOf(cause)}).`, { cause });
    },
  );

const codeOf = (error: unknown): string => {
  const { code, name } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^\w{1,40}$/.test(code)
    ? code
    : name === 'TimeoutError'
      ? 'no answer in time'
      : 'connection lost';
};
