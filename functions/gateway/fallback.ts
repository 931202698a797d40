/** Handles calls that match no route: an unknown path or an unsupported method. */
import { answerUnrouted, prefersHtml, redirectResponse, withEnvelope } from '../../shared/http/index.ts';
import { clock } from '../../shared/platform/index.ts';

export const handler = withEnvelope(
  { id: 'fallback' },
  async (call) =>
    // A greedy route needs at least one segment, so this path matches none.
    call.incoming.path === '/console/' && prefersHtml(call.incoming.headers.accept)
      ? redirectResponse('/console')
      : answerUnrouted(call),
  clock,
);
