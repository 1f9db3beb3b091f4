package fairgate.platform.page;

import java.util.List;
import java.util.Locale;

/// The shop's name and look on all pages of visitors.
///
/// @param logoUrl https; empty shows Fairgate's mark
/// @param color `#rrggbb`; empty keeps Fairgate's
/// @param termsUrl empty for none, as the other addresses
public record Brand(
    String name,
    String logoUrl,
    String color,
    String termsUrl,
    String privacyUrl,
    String imprintUrl) {
  public static final Brand FAIRGATE = new Brand("Fairgate", "", "", "", "", "");

  /// The contrast of normal text (WCAG 2.2, 1.4.3).
  private static final double MIN_CONTRAST = 4.5;

  private static final double STEP = 0.04;
  private static final Rgb LIGHT_PAGE = Rgb.parse("#eef2f3");
  private static final Rgb DARK_PAGE = Rgb.parse("#1b272c");
  private static final Rgb WHITE = Rgb.parse("#ffffff");
  private static final Rgb BLACK = Rgb.parse("#000000");

  public Brand {
    if (!color.isEmpty() && !color.matches("#[0-9a-fA-F]{6}")) {
      throw new IllegalArgumentException("shop.color must be like #0b6a5d");
    }
  }

  /// A link in the footer.
  ///
  /// @param key of its text
  public record LegalLink(String key, String url) {}

  public List<LegalLink> links() {
    return List.of(
            new LegalLink("foot.terms", termsUrl),
            new LegalLink("foot.privacy", privacyUrl),
            new LegalLink("foot.imprint", imprintUrl))
        .stream()
        .filter(link -> !link.url().isEmpty())
        .toList();
  }

  /// A style sheet with the color, made darker on light pages and lighter on dark ones until text
  /// in it is readable; empty without a color.
  public String css() {
    if (color.isEmpty()) {
      return "";
    }
    Rgb chosen = Rgb.parse(color);
    return ":root{"
        + variables(readable(chosen, LIGHT_PAGE, BLACK), LIGHT_PAGE, BLACK)
        + "}\n@media (prefers-color-scheme:dark){:root{"
        + variables(readable(chosen, DARK_PAGE, WHITE), DARK_PAGE, WHITE)
        + "}}\n";
  }

  private static Rgb readable(Rgb color, Rgb page, Rgb towards) {
    Rgb shown = color;
    for (double part = STEP; shown.contrast(page) < MIN_CONTRAST && part < 1; part += STEP) {
      shown = color.mix(towards, part);
    }
    return shown;
  }

  private static String variables(Rgb brand, Rgb page, Rgb strong) {
    Rgb on = brand.contrast(WHITE) >= brand.contrast(BLACK) ? WHITE : BLACK;
    return "--brand:"
        + brand.hex()
        + ";--brand-strong:"
        + brand.mix(strong, 0.2).hex()
        + ";--on-brand:"
        + on.hex()
        + ";--brand-soft:"
        + page.mix(brand, 0.12).hex();
  }

  /// A color of sRGB, each part from 0 to 1.
  private record Rgb(double red, double green, double blue) {
    private static Rgb parse(String hex) {
      int value = Integer.parseInt(hex.substring(1), 16);
      return new Rgb((value >> 16) / 255.0, ((value >> 8) & 255) / 255.0, (value & 255) / 255.0);
    }

    private Rgb mix(Rgb other, double part) {
      return new Rgb(
          red + (other.red - red) * part,
          green + (other.green - green) * part,
          blue + (other.blue - blue) * part);
    }

    private double contrast(Rgb other) {
      double one = luminance();
      double two = other.luminance();
      return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    }

    /// Relative luminance (WCAG 2.2).
    private double luminance() {
      return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    }

    private static double linear(double part) {
      return part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
    }

    private String hex() {
      return String.format(
          Locale.ROOT,
          "#%02x%02x%02x",
          Math.round(red * 255),
          Math.round(green * 255),
          Math.round(blue * 255));
    }
  }
}
