import { Component, type ReactNode } from 'react';
import { Button } from './Button.tsx';

interface Props {
  /** What failed to render: "entry", "card". */
  what: string;
  children: ReactNode;
}

/** Contains an error in the part where it happened (D10). */
export class ErrorBoundary extends Component<Props, { fault: string | undefined }> {
  override state: { fault: string | undefined } = { fault: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    const report = `Tugdeck couldn’t show this ${this.props.what}: ${fault}`;
    return (
      <div className="crash">
        <span>
          Something went wrong in this {this.props.what} ({fault}). Nothing was lost.
        </span>
        <Button look="link" onClick={() => this.setState({ fault: undefined })}>
          Try again
        </Button>
        <Button look="link" onClick={() => navigator.clipboard.writeText(report)}>
          Copy report
        </Button>
      </div>
    );
  }
}
