/** Ticks plans whose tick did not arrive: Scheduler was down or has no entry. */
import { queueVariables, taskMessage } from '../../event/index.ts';
import { after, bestEffort, commit, get, iso, sendMessages, type Tenant, walk } from '../../platform/index.ts';
import { type DueRestoreTest, dueTestsPartition, restoreTestKey } from '../model/record.ts';

/** Scheduler delivers within a minute, a queue within seconds. */
const graceSeconds = 180;

/** Reads only the due items, and sends their ticks. A tick that arrives as well is ignored. */
export const watchRestoreTests = async (
  tenantOf: (organizationId: string) => Tenant,
  now: Date,
): Promise<{ readonly ticked: number }> => {
  let ticked = 0;
  const range = { pk: dueTestsPartition, prefix: '', from: '0', to: iso(after(now, -graceSeconds)) };
  for await (const { pk, sk, organizationId, restoreTestId, at } of walk<DueRestoreTest>(range)) {
    const tenant = tenantOf(organizationId);
    const plan = await get(restoreTestKey.plan(tenant, restoreTestId));
    if (plan?.nextRunAt !== at) {
      await bestEffort('delete an outdated due item', commit([{ remove: { pk, sk } }]));
      continue;
    }
    const tasks = [
      { kind: 'run-restore-test', restoreTestId, at },
      { kind: 'sync-restore-test', restoreTestId },
    ] as const;
    const refused = await sendMessages(
      queueVariables.schedule,
      tasks.map((task) => taskMessage(tenant, task, { now })),
    );
    if (refused.size > 0) throw new Error('the queue did not accept the tick of a restore test');
    ticked += 1;
  }
  return { ticked };
};
