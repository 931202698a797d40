/** Words of fake values: common ones, so that no combination points to a person. */
const words = (list: string): readonly string[] => list.trim().split(/\s*,\s*/);

export const fakeWords = {
  firstNames:
    words(`Ada, Alan, Alex, Amara, Amir, Ana, Anders, Anna, Ben, Bianca, Carla, Chen, Clara, Daniel, David, Diego, Elena,
    Eli, Emma, Eva, Fatima, Felix, Finn, Grace, Hana, Hugo, Ida, Ines, Ivan, Jana, Jonas, Julia, Kai, Karim, Lara, Laura, Lea, Leo,
    Lina, Luis, Maja, Marco, Maria, Marta, Max, Mei, Mia, Milan, Mina, Nadia, Nico, Nina, Noah, Nora, Olga, Omar, Oscar, Paul, Priya,
    Rosa, Ruth, Sam, Sara, Sofia, Stefan, Tara, Theo, Tim, Tom, Vera, Yara, Yuki, Zoe`),
  lastNames: words(`Adams, Albrecht, Andersen, Baker, Bauer, Becker, Bell, Berger, Brown, Carter, Chen, Clark, Costa, Diaz, Evans,
    Fischer, Fox, Garcia, Gray, Green, Haas, Hall, Hansen, Hill, Hoffmann, Ito, Jensen, Johnson, Jones, Keller, Khan, Kim, King,
    Klein, Kumar, Lang, Larsen, Lee, Lewis, Lopez, Martin, Mason, Meyer, Miller, Moore, Moreno, Murphy, Nguyen, Novak, Park, Patel,
    Perez, Reed, Rossi, Santos, Sato, Schmidt, Silva, Singh, Smith, Stone, Sullivan, Tanaka, Taylor, Vogel, Wagner, Walker, Ward,
    Weber, White, Wolf, Wood, Young, Ziegler`),
  streets:
    words(`Ash Street, Birch Avenue, Bridge Street, Cedar Lane, Church Road, Elm Street, Garden Road, Harbour Road, Hill Street,
    Lake View, Lime Avenue, Maple Street, Market Street, Meadow Lane, Mill Road, North Street, Oak Avenue, Orchard Road, Park Avenue,
    Pine Street, River Road, School Lane, South Street, Spring Street, Station Road, Sunset Avenue, Valley Road, Willow Lane`),
  cities:
    words(`Ashford Vale, Birchwood, Brookhaven, Cedar Falls, Clearwater, Eastbrook, Elmsworth, Fairview, Glenfield, Greenhill,
    Highbridge, Lakeside, Maplewood, Millbrook, Northfield, Oakdale, Pinecrest, Ridgemont, Riverton, Silverlake, Southgate,
    Springfield, Stonebridge, Westbury, Willowbrook, Woodhaven`),
  countries:
    words(`Austria, Belgium, Brazil, Canada, Chile, Denmark, Finland, France, Germany, Ireland, Italy, Japan, Kenya, Mexico,
    Netherlands, New Zealand, Norway, Poland, Portugal, Spain, Sweden, Switzerland, United Kingdom, United States`),
  companies: words(`Acorn, Alder, Beacon, Birch, Bluebird, Bright, Cedar, Clover, Compass, Copper, Delta, Ember, Falcon, Granite,
    Harbor, Juniper, Lantern, Maple, Meridian, Northwind, Orchard, Pioneer, Quartz, Raven, Sable, Summit, Timber, Willow`),
  companyKinds: words(
    'Analytics, Foods, Group, Industries, Labs, Logistics, Partners, Services, Studios, Systems, Trading, Works',
  ),
  texts:
    words(`lorem, ipsum, dolor, sit, amet, consectetur, adipiscing, elit, sed, do, eiusmod, tempor, incididunt, ut, labore, et,
    dolore, magna, aliqua, enim, ad, minim, veniam, quis, nostrud, exercitation, ullamco, laboris, nisi, aliquip, ex, ea, commodo,
    consequat, duis, aute, irure, in, reprehenderit, voluptate, velit, esse, cillum, fugiat, nulla, pariatur`),
} as const;
