import { CodeBlock } from '../../ui/data/code-block.tsx';
import { Notice } from '../../ui/data/notice.tsx';

/** The only time that a key is shown. */
export const ApiKeyNotice = ({ apiKey }: { readonly apiKey: string }) => (
  <div className="stack">
    <Notice tone="warn" title="Copy the key now">
      It is shown only here. Send it as <code>Authorization: Bearer</code>, together with <code>X-Organization-Id</code>.
    </Notice>
    <CodeBlock label="API key" code={apiKey} />
  </div>
);
