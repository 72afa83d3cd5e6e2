type Params = Record<string, string>;
export type Handler<C> = (context: C & { params: Params; url: URL }) => Response | Promise<Response>;

interface Node<C> {
  children: Map<string, Node<C>>;
  wildcard?: { name: string; node: Node<C> };
  handlers: Map<string, Handler<C>>;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

function createNode<C>(): Node<C> {
  return { children: new Map(), handlers: new Map() };
}

export class Router<C extends object> {
  private readonly root = createNode<C>();

  on(method: Method, pattern: string, handler: Handler<C>): this {
    let node = this.root;
    for (const segment of pattern.split('/').filter(Boolean)) {
      if (segment.startsWith(':')) {
        node.wildcard ??= { name: segment.slice(1), node: createNode<C>() };
        node = node.wildcard.node;
      } else {
        let next = node.children.get(segment);
        if (!next) {
          next = createNode<C>();
          node.children.set(segment, next);
        }
        node = next;
      }
    }
    node.handlers.set(method, handler);
    return this;
  }

  async handle(request: Request, context: C): Promise<Response> {
    const url = new URL(request.url);
    const params: Params = {};
    let node: Node<C> | undefined = this.root;
    for (const segment of url.pathname.split('/').filter(Boolean)) {
      const exact: Node<C> | undefined = node.children.get(segment);
      if (exact) {
        node = exact;
      } else if (node.wildcard) {
        params[node.wildcard.name] = decodeURIComponent(segment);
        node = node.wildcard.node;
