package fairgate.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import javax.imageio.ImageIO;

/// Finds the gap of a slider, as a program that reads pictures does.
public final class SliderReader {
  /// The gap is the picture under a black of this opacity.
  private static final double GAP = 1 - 150 / 255.0;

  private static final int OPAQUE = 250;

  private SliderReader() {}

  /// The left edge of the gap, pixels.
  ///
  /// @param offer the challenge, as JSON
  public static int read(String offer) {
    try {
      JsonNode json = new ObjectMapper().readTree(offer);
      BufferedImage picture = image(json.path("picture").asText());
      BufferedImage piece = image(json.path("piece").asText());
      int top = json.path("top").asInt();
      int best = 0;
      double least = Double.MAX_VALUE;
      for (int x = 0; x <= picture.getWidth() - piece.getWidth(); x++) {
        double difference = difference(picture, piece, x, top);
        if (difference < least) {
          least = difference;
          best = x;
        }
      }
      return best;
    } catch (IOException e) {
      throw new UncheckedIOException(offer, e);
    }
  }

  /// The token for this position.
  public static String token(String offer, int x) {
    try {
      return new ObjectMapper().readTree(offer).path("challenge").asText() + '.' + x;
    } catch (IOException e) {
      throw new UncheckedIOException(offer, e);
    }
  }

  private static double difference(BufferedImage picture, BufferedImage piece, int left, int top) {
    double sum = 0;
    for (int y = 0; y < piece.getHeight(); y++) {
      for (int x = 0; x < piece.getWidth(); x++) {
        int over = piece.getRGB(x, y);
        if ((over >>> 24) >= OPAQUE) {
          int under = picture.getRGB(left + x, top + y);
          for (int shift = 0; shift <= 16; shift += 8) {
            double expected = ((over >>> shift) & 0xff) * GAP;
            sum += Math.abs(((under >>> shift) & 0xff) - expected);
          }
        }
      }
    }
    return sum;
  }

  private static BufferedImage image(String address) throws IOException {
    byte[] bytes = Base64.getDecoder().decode(address.substring(address.indexOf(',') + 1));
    return ImageIO.read(new ByteArrayInputStream(bytes));
  }
}
