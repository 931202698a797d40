import type { ReactNode } from 'react';
import { CodeBlock } from '../ui/data/code-block.tsx';
import { Notice } from '../ui/data/notice.tsx';
import { Button } from '../ui/form/button.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';

interface SecretDialogProps {
  readonly title: string;
  readonly what: 'key' | 'secret';
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** What it is for. */
  readonly children: ReactNode;
}

/** The only time that a key or a secret is shown. */
export const SecretDialog = ({ title, what, label, secret, onClose, children }: SecretDialogProps) => (
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
      <Notice tone="warn" title={`Copy the ${what} now`}>
        It is shown only here. {children}
      </Notice>
      <CodeBlock label={label} code={secret} />
    </div>
  </Dialog>
);
