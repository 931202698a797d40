import { Link } from '@tanstack/react-router';
import { paths } from '../../../paths.ts';
import { Notice } from '../../../ui/data/notice.tsx';
import type { CodeSample } from '../code/code-sample.ts';
import { CodeView } from '../code/code-view.tsx';
import javaSample from '../samples/Verify.java?raw';
import goSample from '../samples/verify.go?raw';
import pythonSample from '../samples/verify.py?raw';
import nodeSample from '../samples/verify.ts?raw';
import { EndpointLink, Guide, Section } from './guide.tsx';

const samples: readonly CodeSample[] = [
  { label: 'Node', language: 'ts', code: nodeSample },
  { label: 'Python', language: 'python', code: pythonSample },
  { label: 'Go', language: 'go', code: goSample },
  { label: 'Java', language: 'java', code: javaSample },
];

const standardWebhooks: readonly CodeSample[] = [
  {
    label: 'Node',
    language: 'ts',
    code: `import { Webhook } from 'standardwebhooks';

const payload = new Webhook(process.env.SECRET).verify(rawBody, request.headers); // throws if it is not genuine`,
  },
];

export const VerifySignaturesGuide = () => (
  <Guide slug="verify-signatures">
    <p>
      Anyone who knows the address of your endpoint can post to it. The signature proves that a request comes from this service
      and was not changed: <code>X-Service-Signature</code> is <code>sha256=</code> and the hex HMAC-SHA256 of{' '}
      <code>timestamp.body</code>, keyed with the secret of the webhook. The secret is shown once, when the webhook is created or
      its secret rotated.
    </p>
    <Section id="code" title="Code">
      <CodeView label="Verify a signature" samples={samples} />
      <ul>
        <li>
          Verify the <strong>raw bytes</strong> of the body, before anything parses them. Formatting JSON again changes them.
        </li>
        <li>Compare in constant time, as the code does, and refuse timestamps that are more than 300 seconds off.</li>
        <li>
          Drop a <code>metadata.deliveryId</code> that you have seen: it is signed, and the same for every attempt.
        </li>
        <li>Answer first and work afterwards: an endpoint that is slower than its timeout gets the event again.</li>
      </ul>
    </Section>
    <Section id="libraries" title="With a library">
      <p>
        The format standard also carries the headers of Standard Webhooks (<code>webhook-id</code>, <code>webhook-timestamp</code>
        , <code>webhook-signature</code>), so its libraries verify it as it is. Secrets of your own that are not{' '}
        <code>whsec_</code> and base64 need their option for raw secrets.
      </p>
      <CodeView label="With Standard Webhooks" samples={standardWebhooks} />
    </Section>
    <Section id="rotation" title="Change the secret">
      <p>
        <EndpointLink area="webhooks" id="webhooks.rotateSecret">
          Rotate the secret
        </EndpointLink>{' '}
        with an overlap: until it ends, every request is also signed with the previous secret, in{' '}
        <code>X-Service-Signature-Previous</code>. The code above accepts both.
      </p>
    </Section>
    <Section id="test" title="Try it">
      <p>
        <EndpointLink area="webhooks" id="webhooks.test">
          Send a test
        </EndpointLink>{' '}
        of any event to your endpoint. It is signed like a real one and has <code>metadata.test: true</code>. The page{' '}
        <Link to={paths.webhooks}>Webhooks</Link> of the console shows every delivery with its request and the status of the
        answer.
      </p>
      <Notice tone="warn" title="The format simple has no timestamp">
        Its <code>X-Webhook-Signature</code> covers the body alone, so a recorded request can be sent again. Prefer the format
        standard.
      </Notice>
    </Section>
  </Guide>
);
