import { useState } from 'react';
import { useRotateApiKey } from '../../data/service-account.ts';
import { defaultOverlapHours, OverlapSelect } from '../../parts/overlap-select.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { ApiKeyNotice } from './api-key-notice.tsx';

export const RotateKeyDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const rotate = useRotateApiKey();
  const [hours, setHours] = useState(defaultOverlapHours);
  return (
    <Dialog
      open
      stays={rotate.isPending || rotate.data !== undefined}
      onClose={onClose}
      title={rotate.data ? 'The new key' : 'Rotate the API key'}
      actions={
        rotate.data ? (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose} disabledReason={rotate.isPending ? 'The key is being created' : undefined}>
              Cancel
            </Button>
            <Button variant="primary" busy={rotate.isPending} onClick={() => rotate.mutate(hours)}>
              Rotate key
            </Button>
          </>
        )
      }
    >
      {rotate.data ? (
        <ApiKeyNotice apiKey={rotate.data.apiKey} />
      ) : (
        <div className="stack">
          <p className="secondary">
            A new key is made. The old one keeps working for a while, so that you can replace it everywhere.
          </p>
          <OverlapSelect label="The old key also works" stopNow="Stop the old key now" hours={hours} onChange={setHours} />
          {rotate.error && <ErrorNotice error={rotate.error} />}
        </div>
      )}
    </Dialog>
  );
};
