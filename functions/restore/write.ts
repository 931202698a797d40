import { shardHandler, writeShard } from '../../shared/restore/index.ts';

/** Reserved to await pending writes and commit the checkpoint. */
const reserveSeconds = 60;

/** Writes one shard of the plan. */
export const handler = shardHandler(writeShard, reserveSeconds);
