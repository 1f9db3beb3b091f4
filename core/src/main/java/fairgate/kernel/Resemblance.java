package fairgate.kernel;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/// Finds the known name most similar to a misspelled one.
public final class Resemblance {
  /// Shorter parts occur in too many names.
  private static final int SHORTEST_PART = 4;

  private Resemblance() {}

  /// The known word that contains this word or is contained in it, such as `duration_seconds` for
  /// `seconds`; otherwise the most similar known word if at most a third of the letters differ.
  public static Optional<String> nearest(String word, Collection<String> known) {
    Comparator<String> closer = Comparator.comparingInt(candidate -> distance(word, candidate));
    return known.stream()
        .filter(candidate -> overlap(word, candidate))
        .min(closer)
        .or(
            () ->
                known.stream()
                    .min(closer)
                    .filter(near -> distance(word, near) <= Math.max(2, word.length() / 3)));
  }

  private static boolean overlap(String a, String b) {
    return Math.min(a.length(), b.length()) >= SHORTEST_PART && (a.contains(b) || b.contains(a));
  }

  /// The Levenshtein distance: the number of letters to add, drop or change.
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
