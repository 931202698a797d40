/** Asks for every second of a captured project, and compares what is answered with the source. */
import { ApiError } from '../../../../shared/contract/errors.ts';
import { microsOf, momentOf, planPoint } from '../../../../shared/pitr/index.ts';
import type { CaptureEnv } from '../capture-env.ts';

/** Every whole second since the first base, as a restore of everything asks for it. */
export const askEverySecond = async (t: CaptureEnv): Promise<{ readonly exact: number; readonly refused: number }> => {
  const first = Math.ceil(microsOf(t.pitr.bases[0]!.readTime) / 1_000_000) * 1_000_000;
  const moments = new Set<number>();
  let [exact, refused] = [0, 0];
  for (let at = first; at <= microsOf(t.pitr.capturedTo!); at += 1_000_000)
    try {
      const { point } = await planPoint(t.tenant, { projectId: t.projectId, request: { pointInTime: momentOf(at) }, now: t.now });
      moments.add(microsOf(point.moment));
      exact += 1;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'CONFLICT')) throw error;
      refused += 1;
    }
  if (moments.size > 0) await t.assertExact([...moments]);
  return { exact, refused };
};
