import type { Methods } from '../base/types.ts';
import type { Databases } from '../storage/databases.ts';
import { runAggregationQuery } from './aggregate.ts';
import { partitionQuery } from './partition.ts';
import { runQuery } from './run-query-rpc.ts';

/** The query methods. */
export const queryMethods = (databases: Databases): Methods => ({
  RunQuery: runQuery(databases),
  RunAggregationQuery: runAggregationQuery(databases),
  PartitionQuery: partitionQuery(databases),
});
