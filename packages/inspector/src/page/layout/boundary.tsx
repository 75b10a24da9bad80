import { Component, type ComponentChild, type ComponentChildren } from 'preact';

/** Shows a fallback for content that cannot be rendered, so that the rest of the page stays. */
export class Boundary extends Component<
  { readonly children: ComponentChildren; readonly otherwise: ComponentChild },
  { readonly failed: boolean }
> {
  override state = { failed: false };

  static override getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  render(): ComponentChild {
    return this.state.failed ? this.props.otherwise : this.props.children;
  }
}
