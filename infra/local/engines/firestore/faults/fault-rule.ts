import * as z from 'zod';
import { type StatusName, status } from '../base/types.ts';

const Status = z.enum(Object.keys(status) as [StatusName, ...StatusName[]]);

/** One way to fail: which calls, and how. Without a status, end or delay it only counts. */
export const FaultRule = z.strictObject({
  /** A method of google.firestore.v1.Firestore; every method when left out. */
  method: z.string().optional(),
  project: z.string().optional(),
  /** Text the request must contain, such as a document's path. */
  contains: z.string().optional(),
  /** Strikes from the n-th call that fits … */
  call: z.int().min(1).default(1),
  /** … for this many of them. */
  times: z.int().min(1).default(1),
  delayMs: z.number().min(0).default(0),
  /** Fails with this status before anything happens, or after it has happened, when only the answer is lost. */
  status: Status.exclude(['OK']).optional(),
  when: z.enum(['before', 'after']).default('before'),
  message: z.string().default('Injected fault.'),
  /** Ends a stream after that many messages, with an error or with OK. */
  end: z.strictObject({ afterMessages: z.int().min(0), status: Status.default('OK') }).optional(),
  /** Sends a stream's messages one by one with this pause between them. */
  pauseMs: z.number().min(0).default(0),
});
export type FaultRule = z.output<typeof FaultRule>;

/** A rule and how often it has fitted a call. */
export class RuleState {
  readonly rule: FaultRule;
  matched = 0;

  constructor(rule: FaultRule) {
    this.rule = rule;
  }

  get isDone(): boolean {
    return this.matched >= this.rule.call + this.rule.times - 1;
  }

  /** Counts a call that fits; says whether it is one to fail. */
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

/** The project a request is about: every request names it in its first text. */
export function projectOf(request: Uint8Array): string {
  const text = Buffer.from(request.buffer, request.byteOffset, request.length);
  const start = text.indexOf('projects/');
  if (start < 0) return '';
  const end = text.indexOf('/', start + 9);
  return end < 0 ? '' : text.toString('utf8', start + 9, end);
}
