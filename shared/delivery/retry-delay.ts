import { retryDelaysSeconds } from '../contract/limits.ts';

/** Retry-After can lengthen a delay up to this factor. */
const lengthenedMax = 2;
const jitterMax = 0.1;

/**
 * Whole seconds to wait after the n-th attempt of a round: at least the documented delay, plus jitter (`random` is from 0 up to
 * 1), longer if the endpoint sent Retry-After, at most twice the documented delay.
 */
export const retryDelay = (
  attemptOfRound: number,
  { retryAfter, now, random }: { readonly retryAfter: string | undefined; readonly now: Date; readonly random: number },
): number => {
  const base = retryDelaysSeconds[attemptOfRound - 1] ?? retryDelaysSeconds[3];
  const max = base * lengthenedMax;
  const wanted = Math.ceil(Math.min(Math.max(base, secondsOf(retryAfter, now)), max));
  return Math.min(wanted + Math.round(wanted * jitterMax * random), max);
};

/** RFC 9110: seconds or a date. Anything else is ignored. */
const secondsOf = (retryAfter: string | undefined, now: Date): number => {
  const text = retryAfter?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const untilMs = Date.parse(text);
  return Number.isNaN(untilMs) ? 0 : (untilMs - now.getTime()) / 1_000;
};
