import { retryDelaysSeconds } from '../../contract/limits.ts';

/** What an endpoint asks for can make a wait at most so many times as long. */
const lengthenedMax = 2;
const jitterMax = 0.1;

/**
 * The whole seconds to wait after the n-th attempt of a round: never less than is documented, a little more, by chance (0 up
 * to 1), so that not all come back at the same moment, and more where the endpoint asked for it, but never twice as much.
 */
export const retryDelay = (attemptOfRound: number, retryAfter: string | undefined, now: Date, chance: number): number => {
  const base = retryDelaysSeconds[attemptOfRound - 1] ?? retryDelaysSeconds[3];
  const most = base * lengthenedMax;
  const wanted = Math.ceil(Math.min(Math.max(base, secondsOf(retryAfter, now)), most));
  return Math.min(wanted + Math.round(wanted * jitterMax * chance), most);
};

/** RFC 9110: seconds or a date; whatever else it says asks for nothing. */
const secondsOf = (retryAfter: string | undefined, now: Date): number => {
  const text = retryAfter?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const untilMs = Date.parse(text);
  return Number.isNaN(untilMs) ? 0 : (untilMs - now.getTime()) / 1_000;
};
