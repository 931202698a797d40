import { group } from '../endpoint.ts';

export const console = group('console', '', {
  serve: {
    route: 'GET /console',
    alsoPaths: ['/console/{path+}', '/'],
    access: 'public',
    summary: 'The web console and its files. GET / redirects browsers to it',
    reply: 'file',
    content: { 'text/html': 'text', 'text/javascript': 'text' },
    errors: ['NOT_FOUND'],
    capabilities: [],
  },
});
