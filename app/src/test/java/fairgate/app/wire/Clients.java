package fairgate.app.wire;

import java.util.ArrayList;
import java.util.List;

/// A group of clients of one server, closed together.
final class Clients implements AutoCloseable {
  private final int port;
  private final List<BadClient> all = new ArrayList<>();

  Clients(int port) {
    this.port = port;
  }

  /// Opens a number of clients, each of which sends this text.
  List<BadClient> many(int count, String sent) {
    List<BadClient> made = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      BadClient client = new BadClient(port);
      made.add(client);
      all.add(client);
      client.write(sent);
    }
    return made;
  }

  @Override
  public void close() {
    all.forEach(BadClient::close);
  }
}
