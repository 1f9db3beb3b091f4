package fairgate.prove.environment;

import java.util.List;

/// Several proxies that are held, cut and let go together: those of one node to all masters, or
/// those of all nodes to one.
public final class TcpProxies {
  private final List<TcpProxy> all;

  TcpProxies(List<TcpProxy> all) {
    this.all = List.copyOf(all);
  }

  List<TcpProxy> all() {
    return all;
  }

  /// Puts the listener on every one.
  public void tap(TcpProxy.Tap listener) {
    all.forEach(proxy -> proxy.tap(listener));
  }

  public void holdRequests() {
    all.forEach(TcpProxy::holdRequests);
  }

  public void holdReplies() {
    all.forEach(TcpProxy::holdReplies);
  }

  /// Whether anything is held at this moment.
  public boolean holding() {
    return all.stream().anyMatch(TcpProxy::holding);
  }

  public void flow() {
    all.forEach(TcpProxy::flow);
  }

  public void drop() {
    all.forEach(TcpProxy::drop);
  }
}
