/** The Lambda functions of the template, each with the access key by which the IAM front will know it. */
import { createHash } from 'node:crypto';
import type { ResolvedResource } from '../cloudformation/read-template.ts';
import { readMappings } from '../event-source/mapping.ts';
import type { Roles, Trust } from '../iam/roles.ts';
import type { FunctionSpec } from '../lambda/function-spec.ts';

/** Lambda's own, where the template is silent. */
const timeoutSecondsByDefault = 3;
const memoryMbByDefault = 128;

export const readFunctions = (resources: readonly ResolvedResource[], roles: Roles, trusts: Trust): readonly FunctionSpec[] => {
  const mappings = readMappings(resources);
  return resources
    .filter(({ type }) => type === 'AWS::Lambda::Function')
    .map(({ name, arn, properties, metadata }) => {
      const { entry } = metadata;
      if (typeof entry !== 'string') throw new Error(`${name} does not say in its metadata which file it is made from`);
      const roleArn = String(properties.Role);
      const statements = roles(roleArn);
      if (!statements) throw new Error(`${name} has a role that the template does not define`);
      if (!trusts(roleArn, { service: 'lambda.amazonaws.com', sourceArn: arn }))
        throw new Error(`${name} has a role that cannot be assumed by Lambda`);
      const reserved = properties.ReservedConcurrentExecutions;
      return {
        name,
        arn,
        entry,
        handler: String(properties.Handler).replace(/^index\./, ''),
        environment: ((properties.Environment as { Variables?: Record<string, string> } | undefined)?.Variables ?? {}) as Record<
          string,
          string
        >,
        timeoutSeconds: Number(properties.Timeout ?? timeoutSecondsByDefault),
        memoryMb: Number(properties.MemorySize ?? memoryMbByDefault),
        concurrency: reserved === undefined ? undefined : Number(reserved),
        fedAtOnce: mappings.find(({ functionName }) => functionName === name || functionName === arn)?.concurrencyMax,
        logGroup: String((properties.LoggingConfig as { LogGroup?: string } | undefined)?.LogGroup ?? `/aws/lambda/${name}`),
        isTraced: (properties.TracingConfig as { Mode?: string } | undefined)?.Mode === 'Active',
        roleArn,
        statements,
        accessKeyId: accessKeyOf(arn),
      };
    });
};

/** The same at every start, so that what was signed before a restart still counts. */
const accessKeyOf = (arn: string): string => `LOCAL${createHash('sha256').update(arn).digest('hex').slice(0, 15).toUpperCase()}`;
