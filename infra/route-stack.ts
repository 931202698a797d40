/** Functions and routes of some groups of endpoints. Every stack of routes extends it. */
import { type CfnResource, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnIntegration, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnAlias, type Function as Fn } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Endpoint } from '../shared/contract/endpoint.ts';
import { capabilitiesOf, endpoints, entryOf, handlerOf } from '../shared/contract/index.ts';
import { endpointTimeoutSeconds } from '../shared/contract/limits.ts';
import type { logLines } from '../shared/contract/runtime/alarm-log-lines.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import type { EngineStack } from './engine-stack.ts';
import { allow, makeRole } from './part/allow.ts';
import { type CodeOf, type FnProps, makeFunction } from './part/function/lambda-function.ts';
import { groupBy } from './part/group-by.ts';
import { pascalCase } from './part/name-case.ts';
import { makeLogGroup } from './part/observe/log-group.ts';
import { addLogMetricFilter } from './part/observe/log-metric-filter.ts';
import { cloudFrontVariables } from './settings-variables.ts';

export interface RouteStackProps extends StackProps {
  readonly config: Config;
  readonly data: DataStack;
  readonly engine: EngineStack;
  readonly code: CodeOf;
}

interface RouteChoice {
  /** Whether the endpoints of this handler file belong to the stack. */
  readonly hasFile: (file: string) => boolean;
  /** Log lines of these functions that an alarm counts. */
  readonly countedLines: readonly (keyof typeof logLines)[];
}

/** A function, or its alias. */
type Invocable = Pick<Fn, 'functionArn'>;

/** Lambda assigns CPU by memory: twice the CPU of 512 MB speeds up cold starts with the SDK. Not measured on Lambda. */
const endpointMemoryMegabytes = 1_024;

/** API Gateway's control plane admits about ten calls a second for the whole account; CloudFormation would create hundreds at once. */
const laneCount = 4;

export class RouteStack extends Stack {
  readonly #props: RouteStackProps;
  readonly #logGroup: LogGroup;
  /** The last resource of each lane. */
  readonly #lanes: CfnResource[] = [];
  #made = 0;

  constructor(scope: Construct, id: string, { hasFile, countedLines, ...props }: RouteStackProps & RouteChoice) {
    super(scope, id, props);
    this.#props = props;
    this.#logGroup = makeLogGroup(this, 'Logs');
    for (const line of countedLines) addLogMetricFilter(this.#logGroup, line);
    const groups = groupBy(endpoints, (endpoint) => handlerOf(endpoint).file);
    for (const [file, rows] of groups) if (hasFile(file)) this.#makeGroup(file, rows);
  }

  /** The endpoints of one handler file: one function each, and one role with which the gateway invokes exactly these. */
  #makeGroup(file: string, rows: readonly Endpoint[]): void {
    const handlers = rows.map((endpoint) => ({ endpoint, fn: this.#makeEndpoint(endpoint) }));
    const role = this.makeGatewayRole(
      pascalCase(file),
      handlers.map(({ fn }) => fn),
    );
    for (const { endpoint, fn } of handlers) this.makeRoute(pascalCase(endpoint.id), routesOf(endpoint), { fn, role });
  }

  #makeEndpoint(endpoint: Endpoint): Invocable {
    const id = pascalCase(endpoint.id);
    const fn = this.makeFunction(id, {
      entry: entryOf(endpoint),
      exportName: handlerOf(endpoint).name,
      description: `${endpoint.method} ${endpoint.path}: ${endpoint.summary}`,
      timeoutSeconds: endpointTimeoutSeconds,
      memoryMegabytes: endpointMemoryMegabytes,
      capabilities: capabilitiesOf(endpoint),
    });
    if (!this.#props.config.warmEndpoints.includes(endpoint.id)) return fn;
    // Lambda keeps instances of versions only; the alias gives all of them one address.
    const alias = new CfnAlias(this, `${id}Warm`, {
      name: 'warm',
      functionName: fn.functionName,
      functionVersion: fn.currentVersion.version,
      provisionedConcurrencyConfig: { provisionedConcurrentExecutions: 1 },
    });
    return { functionArn: alias.ref };
  }

  protected makeFunction(id: string, props: Omit<FnProps, 'parts' | 'code' | 'logGroup' | 'environment'>): Fn {
    const { config, engine, code } = this.#props;
    const environment = cloudFrontVariables(config);
    return makeFunction(this, id, { ...props, environment, parts: engine.parts, code, logGroup: this.#logGroup });
  }

  /** One role per file instead of one permission per function saves a fifth of the 500 resources a stack may have. */
  protected makeGatewayRole(id: string, functions: readonly Invocable[]): Role {
    const arns = functions.map((fn) => fn.functionArn);
    return makeRole(this, `${id}GatewayRole`, {
      description: `Lets API Gateway invoke the functions of ${id}`,
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      statements: [allow(['lambda:InvokeFunction'], arns)],
    });
  }

  protected makeRoute(
    id: string,
    routes: Readonly<Record<string, string>>,
    { fn, role }: { readonly fn: Invocable; readonly role: Role },
  ): void {
    const { apiId } = this.#props.data;
    const integration = new CfnIntegration(this, `${id}Integration`, {
      apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: fn.functionArn,
      payloadFormatVersion: '2.0',
      credentialsArn: role.roleArn,
    });
    this.#addToLane(integration);
    for (const [suffix, routeKey] of Object.entries(routes))
      this.#addToLane(new CfnRoute(this, `${id}${suffix}Route`, { apiId, routeKey, target: `integrations/${integration.ref}` }));
  }

  /** Lets a resource wait until all routes exist. */
  protected addAfterRoutes(resource: CfnResource): void {
    for (const last of this.#lanes) resource.addResourceDependency(last);
  }

  /** Adds the resource to the shortest lane, in which each one waits for the one before it. */
  #addToLane(resource: CfnResource): void {
    const lane = this.#made % laneCount;
    this.#made += 1;
    const before = this.#lanes[lane];
    if (before) resource.addResourceDependency(before);
    this.#lanes[lane] = resource;
  }
}

/**
 * The route of each path, by the suffix of its id. An HTTP API does not route HEAD requests to GET routes, so a GET endpoint has all methods
 * that no other endpoint of its path has; it refuses those that are neither GET nor HEAD (`shared/http/unrouted/answer-unrouted.ts`).
 * The suffixes are even numbers, because there were routes for HEAD in between: a new id would create a route before the old one is deleted.
 */
const routesOf = ({ method, path, alsoPaths = [] }: Endpoint): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [path, ...alsoPaths].map((each, n) => [n === 0 ? '' : `${2 * n}`, `${method === 'GET' ? 'ANY' : method} ${each}`]),
  );
