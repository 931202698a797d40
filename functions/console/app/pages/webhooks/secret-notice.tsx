import { CodeBlock } from '../../ui/data/code-block.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';

interface SecretNoticeProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** The only time that a secret is shown. */
export const SecretNotice = ({ title, secret, onClose }: SecretNoticeProps) => (
  <Dialog
    open
    stays
    onClose={onClose}
    title={title}
    actions={
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    }
  >
    <div className="stack">
      <Notice tone="warn" title="Copy the secret now">
        It is shown only here. Your endpoint verifies the signature of each request with it; the API docs have code for that.
      </Notice>
      <CodeBlock label="Signing secret" code={secret} />
    </div>
  </Dialog>
);
