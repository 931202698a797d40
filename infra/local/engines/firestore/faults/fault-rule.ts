import * as z from 'zod/mini';
import { type StatusName, status } from '../base/types.ts';

const Status = z.enum(Object.keys(status) as [StatusName, ...StatusName[]]);

/** A fault: which calls it affects, and how. Without status, end and delay it only counts. */
export const FaultRule = z.strictObject({
  /** A method of google.firestore.v1.Firestore. Default: all methods. */
  method: z.optional(z.string()),
  project: z.optional(z.string()),
  /** Text that the request must contain, such as a document's path. */
  contains: z.optional(z.string()),
  /** Applies from the n-th matching call … */
  call: z._default(z.int().check(z.minimum(1)), 1),
  /** … to this many calls. */
  times: z._default(z.int().check(z.minimum(1)), 1),
  delayMs: z._default(z.number().check(z.minimum(0)), 0),
  /** Fails with this status before the call takes effect, or after it, so that only the response is lost. */
  status: z.optional(Status.check(z.refine((status) => status !== 'OK', 'must be an error'))),
  when: z._default(z.enum(['before', 'after']), 'before'),
  message: z._default(z.string(), 'Injected fault.'),
  /** Ends a stream after this many messages, with an error or with OK. */
  end: z.optional(z.strictObject({ afterMessages: z.int().check(z.minimum(0)), status: z._default(Status, 'OK') })),
  /** Sends a stream's messages one by one with this pause. */
  pauseMs: z._default(z.number().check(z.minimum(0)), 0),
});
export type FaultRule = z.output<typeof FaultRule>;

/** A rule and the number of calls it matched. */
export class RuleState {
  readonly rule: FaultRule;
  matched = 0;

  constructor(rule: FaultRule) {
    this.rule = rule;
  }

  get isDone(): boolean {
    return this.matched >= this.rule.call + this.rule.times - 1;
  }

  /** Counts a matching call and returns whether it must fail. */
  strikes(method: string, request: Uint8Array): boolean {
    const { rule } = this;
    if (rule.method !== undefined && rule.method !== method) return false;
    const text = Buffer.from(request.buffer, request.byteOffset, request.length);
    if (rule.project !== undefined && projectOf(request) !== rule.project) return false;
    if (rule.contains !== undefined && !text.includes(rule.contains)) return false;
    this.matched += 1;
    return this.matched >= rule.call && this.matched < rule.call + rule.times;
  }
}

/** The project of a request: the first string of every request contains it. */
export function projectOf(request: Uint8Array): string {
  const text = Buffer.from(request.buffer, request.byteOffset, request.length);
  const start = text.indexOf('projects/');
  if (start < 0) return '';
  const end = text.indexOf('/', start + 9);
  return end < 0 ? '' : text.toString('utf8', start + 9, end);
}
