import { pitrKey } from '../../../../shared/pitr/index.ts';
import type { CaptureEnv } from '../capture-env.ts';

/** The source no longer knows the resume tokens that captures continue with. */
export const forgetTokens = (t: CaptureEnv): void => {
  const item = t.table.get(pitrKey.tokens(t.tenant, t.projectId));
  if (!item) return;
  const groups = (JSON.parse(String(item.groups)) as [string, string, ...unknown[]][]).map(([id, , ...rest]) => [
    id,
    'YmFk',
    ...rest,
  ]);
  t.table.put({ ...item, groups: JSON.stringify(groups) });
};
