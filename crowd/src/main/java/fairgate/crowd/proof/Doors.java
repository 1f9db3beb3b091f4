package fairgate.crowd.proof;

import java.util.List;
import java.util.random.RandomGenerator;

/// Where the server's nodes are called, all on this machine.
///
/// @param ports at least one
public record Doors(List<Integer> ports) {
  public Doors {
    ports = List.copyOf(ports);
  }

  int any(RandomGenerator chance) {
    return ports.get(chance.nextInt(ports.size()));
  }
}
