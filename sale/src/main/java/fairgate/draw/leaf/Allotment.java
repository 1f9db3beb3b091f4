package fairgate.draw.leaf;

import fairgate.draw.tlog.StrictText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// One line of the allocation: the outcome of one rank.
///
/// @param bought units
/// @param passed units that went to the next entries
public record Allotment(long rank, Status status, long bought, long passed) {
  /// The ways in which an entry is treated in the allocation.
  public enum Status {
    OFFERED,
    WITHDRAWN,
    EXCLUDED,
    /// The entry wanted more units than were left, and the rules say to skip it.
    UNFIT;

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// The line with its line feed, which is the data of a leaf.
  public String line() {
    return rank + " " + status.word() + " " + bought + " " + passed + "\n";
  }

  public long units() {
    return bought + passed;
  }

  /// Parses a file; empty if a line is malformed. A file without lines has no bytes.
  public static Optional<List<Allotment>> parse(byte[] bytes) {
    if (bytes.length == 0) {
      return Optional.of(List.of());
    }
    List<Allotment> all = new ArrayList<>();
    for (String line : StrictText.utf8(bytes).flatMap(StrictText::lines).orElse(List.of(""))) {
      Optional<Allotment> allotment = parseLine(line);
      if (allotment.isEmpty()) {
        return Optional.empty();
      }
      all.add(allotment.get());
    }
    return Optional.of(all);
  }

  private static Optional<Allotment> parseLine(String line) {
    String[] parts = line.split(" ", -1);
    if (parts.length != 4) {
      return Optional.empty();
    }
    Optional<Status> status =
        Arrays.stream(Status.values()).filter(each -> each.word().equals(parts[1])).findAny();
    OptionalLong rank = StrictText.number(parts[0]);
    OptionalLong bought = StrictText.number(parts[2]);
    OptionalLong passed = StrictText.number(parts[3]);
    if (status.isEmpty() || rank.isEmpty() || bought.isEmpty() || passed.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Allotment(rank.getAsLong(), status.get(), bought.getAsLong(), passed.getAsLong()));
  }
}
