/**
 * Routing of the HTTP API. Path segments match exactly (trailing slashes, `//` and case matter); `{name}` matches one segment,
 * `{name+}` the rest of the path. Requests without a matching route go to $default.
 */
import type { ResolvedResource } from '../cloudformation/read-template.ts';

export interface Route {
  /** 'GET /api/v1/organizations' or '$default' */
  readonly key: string;
  readonly functionArn: string;
  /** The role that invokes the function, if the integration has one. */
  readonly credentialsArn: string | undefined;
  readonly timeoutMs: number;
}

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Default timeout of an HTTP API integration. */
const integrationTimeoutMs = 30_000;

export const readRoutes = (resources: readonly ResolvedResource[]): readonly Route[] => {
  const integrations = new Map(
    resources.filter(({ type }) => type === 'AWS::ApiGatewayV2::Integration').map((resource) => [resource.name, resource]),
  );
  return resources
    .filter(({ type }) => type === 'AWS::ApiGatewayV2::Route')
    .map(({ properties }) => {
      const target = String(properties.Target).replace('integrations/', '');
      const integration = integrations.get(target)?.properties;
      if (!integration) throw new Error(`route ${String(properties.RouteKey)} has no integration in the template`);
      return {
        key: String(properties.RouteKey),
        functionArn: String(integration.IntegrationUri),
        credentialsArn: integration.CredentialsArn as string | undefined,
        timeoutMs: Number(integration.TimeoutInMillis ?? integrationTimeoutMs),
      };
    });
};

interface Compiled {
  readonly route: Route;
  readonly method: string;
  readonly segments: readonly string[];
}

/** The gateway decodes a path before matching, so an encoded slash separates segments. */
export const compileRoutes = (routes: readonly Route[]): ((method: string, path: string) => Match | undefined) => {
  const fallback = routes.find(({ key }) => key === '$default');
  const compiled = routes
    .filter((route) => route !== fallback)
    .map((route): Compiled => {
      const [method = '', path = ''] = route.key.split(' ');
      return { route, method, segments: path.split('/') };
    });
  const byShape = Map.groupBy(compiled.filter(isNotGreedy), ({ method, segments }) => `${method} ${segments.length}`);
  for (const alike of byShape.values()) alike.sort(bySpecificity);
  // The longest first. As on AWS, a route without a greedy parameter precedes them.
  const greedy = compiled.filter((each) => !isNotGreedy(each)).sort((a, b) => b.segments.length - a.segments.length);
  return (method, path) => {
    const segments = path.split('/');
    for (const kind of [method, 'ANY']) {
      const ofMethod = greedy.filter((candidate) => candidate.method === kind);
      for (const candidate of [...(byShape.get(`${kind} ${segments.length}`) ?? []), ...ofMethod]) {
        const params = matchSegments(candidate.segments, segments);
        if (params) return { route: candidate.route, params };
      }
    }
    return fallback && { route: fallback, params: {} };
  };
};

const isNotGreedy = ({ segments }: Compiled): boolean => !segments.at(-1)?.endsWith('+}');

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** Most specific first: at the first difference, a literal segment precedes a parameter. Of routes with equally many segments. */
const bySpecificity = (a: Compiled, b: Compiled): number => {
  const at = a.segments.findIndex((segment, index) => isParameter(segment) !== isParameter(b.segments[index] ?? ''));
  return at < 0 ? 0 : Number(isParameter(a.segments[at] ?? '')) - Number(isParameter(b.segments[at] ?? ''));
};

const matchSegments = (pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined => {
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const isGreedy = expected.endsWith('+}');
    const actual = (isGreedy ? segments.slice(index).join('/') : segments[index]) ?? '';
    if (!isParameter(expected)) {
      if (actual !== expected) return undefined;
    } else {
      if (actual === '') return undefined;
      params[expected.slice(1, isGreedy ? -2 : -1)] = actual;
    }
  }
  return params;
};
