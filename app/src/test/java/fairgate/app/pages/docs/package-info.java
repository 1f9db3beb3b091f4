/// Tests of the visitor's pages.
@NullMarked
package fairgate.app.pages.docs;

import org.jspecify.annotations.NullMarked;
