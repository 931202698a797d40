import { checkShard, shardHandler } from '../../shared/restore/index.ts';

/** Reserved to store and commit the part. */
const reserveSeconds = 150;

/** Checks one shard of the backup against the target. */
export const handler = shardHandler(checkShard, reserveSeconds);
