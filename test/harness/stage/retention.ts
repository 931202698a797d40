import { enterStage } from './enter-stage.ts';

/** Runs the hourly sweep now: the function itself, on the stage's table and queue. */
export const sweepRetention = async (): Promise<void> => {
  await enterStage({ BUCKET_WORK_QUEUE_URL: 'Chores' });
  const { handler } = await import('../../../functions/retention/sweep.ts');
  await handler();
};
