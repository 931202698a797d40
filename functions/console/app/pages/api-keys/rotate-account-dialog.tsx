import { useRotateAccountKey } from '../../data/service-account.ts';
import { RotateDialog } from '../../parts/rotate-dialog.tsx';
import { ApiKeyDialog } from './api-key-dialog.tsx';

export const RotateAccountDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const rotate = useRotateAccountKey();
  if (rotate.data) return <ApiKeyDialog title="The new key" apiKey={rotate.data.apiKey} onClose={onClose} />;
  return (
    <RotateDialog
      title="Rotate the API key"
      description="A new key is made. The old one keeps working for a while, so that you can replace it everywhere."
      what="key"
      overlap="The old key also works"
      stopNow="Stop the old key now"
      rotate={rotate}
      onClose={onClose}
    />
  );
};
