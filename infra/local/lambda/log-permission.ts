/** Lambda's logs and traces, which need the function's own permissions. */
import type { Permit } from '../base/types.ts';
import type { FunctionLog } from './function-log.ts';
import type { FunctionSpec } from './function-spec.ts';

/** As on AWS, a function without permission to write logs still runs; its output is lost. */
const silent: FunctionLog = { write: () => {} };

export const withLogPermission =
  (open: (functionName: string) => FunctionLog, permit: Permit, warn: (line: string) => void) =>
  (spec: FunctionSpec): FunctionLog => {
    const [, , , region, account] = spec.arn.split(':');
    const stream = `arn:aws:logs:${region}:${account}:log-group:${spec.logGroup}:log-stream:local`;
    const may = (action: string, resource: string): boolean => {
      try {
        permit(spec.roleArn, { service: 'lambda.amazonaws.com', sourceArn: spec.arn }, { action, resources: [resource] });
        return true;
      } catch (error) {
        warn((error as Error).message);
        return false;
      }
    };
    if (spec.isTraced) for (const action of ['xray:PutTraceSegments', 'xray:PutTelemetryRecords']) may(action, '*');
    return may('logs:CreateLogStream', stream) && may('logs:PutLogEvents', stream) ? open(spec.name) : silent;
  };
